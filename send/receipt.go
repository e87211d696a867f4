package send

import "context"

// Sender sends one message. [*bizppurio.Client] is one, and so is the fake
// for unit tests. Implementations are safe for concurrent use.
//
// The error is nil only when the message was accepted. The Receipt carries
// the RefKey in every case, also beside an error.
type Sender interface {
	Send(context.Context, Message) (Receipt, error)
}

// Receipt is what is known of a message after Send.
type Receipt struct {
	RefKey     string // the message's own or the generated one; in every case
	MessageKey string // the vendor's key of an accepted message (messagekey, spec 1.3); opaque
	Attempts   int    // requests that were handed to the engine for the message; 0 if none
	Index      int    // place in the sequence given to All, from 0; 0 for a single Send
}
