package live_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the entrance of the second process that TestMany starts.
func TestMain(m *testing.M) {
	if beCrowd(os.Getenv(crowdEnv)) {
		return
	}
	goleak.VerifyTestMain(m)
}

// crowdEnv holds what the second process shall do.
const crowdEnv = "LIVE_TEST_CROWD"
