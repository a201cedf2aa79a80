package need

import "testing"

func TestRequired(t *testing.T) {
	for list, want := range map[string]bool{
		"": false, "strace": true, "go,strace": true, "all": true, "all,-strace": false, "strace,all,-strace": true,
	} {
		t.Setenv(Required, list)
		if required("strace") != want {
			t.Errorf("%s=%s requires strace: %v", Required, list, !want)
		}
	}
}
