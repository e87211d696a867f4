package bizppuriotest

// Special reports whether a recipient's number decides over anything.
func Special(to string) bool { return fateOf(to) != fate{} || trickOf(to) != nil }

// Picks returns which of its faults s would choose for the next n requests,
// -1 for none.
func Picks(s *Server, path string, n int) []int {
	picks := make([]int, n)
	for i := range picks {
		f := s.faults.take(path)
		picks[i] = -1
		for j := range s.faults.chaos.menu {
			if f == &s.faults.chaos.menu[j] {
				picks[i] = j
			}
		}
	}
	return picks
}

// Scan returns the refkeys in a stream that comes in the given pieces.
func Scan(pieces ...string) (keys []string) {
	var r refKeyScanner
	for _, p := range pieces {
		r.scan([]byte(p), func(key string) { keys = append(keys, key) })
	}
	return keys
}
