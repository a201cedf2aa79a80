package host

import "github.com/timebench/timebench/internal/document/result"

// machine returns the vendor and product names of the DMI tables; nil if there are none, as on
// most Arm boards.
func machine(root string) *result.Machine {
	found := result.Machine{
		Vendor:  readName(root, "sys/class/dmi/id/sys_vendor"),
		Product: readName(root, "sys/class/dmi/id/product_name"),
	}
	if found == (result.Machine{}) {
		return nil
	}
	return &found
}
