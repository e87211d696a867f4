package main

// sizes says how much of everything is measured.
type sizes struct {
	note   string
	sends  int // one after another, for the connections
	pairs  int // of a bare send and one of ours, for the latency
	blocks int // of each client, for CPU and allocations
	block  int // sends in a block, a multiple of callers
	each   int // sends of each of 30 callers, for the source ports
	hits   int // of the token, in a block
}

// full are the sizes that the targets are for.
func full() sizes {
	return sizes{sends: 1050, pairs: 200, blocks: 21, block: 6400, each: 20, hits: 2_000_000}
}

func brief() sizes {
	return sizes{note: ", short form: too few to measure times", sends: 105, pairs: 20, blocks: 3, block: 640, each: 5, hits: 50_000}
}
