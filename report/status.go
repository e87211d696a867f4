package report

// Status says what became of a message, or of one record of it. The zero
// value is the cautious one.
type Status int

// The statuses.
const (
	Uncertain Status = iota // not known, or not yet: it may have arrived
	Delivered               // it arrived
	Failed                  // it did not arrive
)

// String returns uncertain, delivered or failed.
func (s Status) String() string {
	switch s {
	case Delivered:
		return "delivered"
	case Failed:
		return "failed"
	case Uncertain:
		return "uncertain"
	}
	return "uncertain"
}

// Status returns what this record alone says, its fallback fields included:
// Delivered when any channel in it delivered, Failed when every channel that
// it speaks of failed, else Uncertain. A message with alternative send may
// have records to come: see [Settle].
func (r Report) Status() Status {
	var t tally
	t.add(r)
	return t.status()
}
