package bizppuriotest

// TB is the part of *testing.T, *testing.B and *testing.F that this package
// needs. Programs import this package without importing testing.
type TB interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}
