// What Bench.cs needs of the assembly System.Runtime.Extensions of .NET. mcs compiles it to a reference, with which it
// compiles Bench.cs: Mono has no TickCount64. At run time .NET takes its own assembly of that name.
namespace System {
    public static class Environment {
        public static long TickCount64 { get { return 0; } }
    }
}
