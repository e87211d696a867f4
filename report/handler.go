package report

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

const (
	maxInFlight = 256              // requests in the function, or waiting for one that is
	maxHandling = 30 * time.Second // of one report
)

var (
	errUnfinished = errors.New("report: the function did not return")
	errNone       = errors.New("report: an envelope without reports")
)

// Handler returns the webhook for the vendor's PUSH. It calls fn with each
// report and answers 200 only after fn returned nil. What the vendor does
// about other answers is documented as: push again "a certain number of
// times", then keep the result for 35 days (spec 1.5). So no answer makes it
// push for ever, and none of the refusals here loses a report:
//
//	400  not a report, an envelope without any, or a body that broke off
//	403  from an address that is not allowed
//	404  without the secret
//	405  not a POST; health checks with GET or HEAD see this too
//	413  more than MaxBody bytes
//	415  a Content-Encoding
//	500  fn failed or panicked
//	503  256 requests are being handled: come again
//
// The vendor wants its answer at once, so fn should store the report and leave
// the work to somebody else. It may be called by many goroutines at once. Its
// context ends after 30 s and not when the vendor hangs up: a report that is
// handled to the end is remembered, and the next push of it answered at once.
//
// The same report again (MessageID and results) is answered without calling
// fn; one that arrives while fn is still busy waits for that result. Only
// success is remembered: after an error fn is called again with the next push.
// A report without MessageID is handed over each time. A result that has
// changed is handed over as well, and memory is bounded and ends with the
// process, so fn must tolerate duplicates all the same.
//
// A panic of fn is answered with 500 and goes on to the http.Server, which
// logs it. The Handler sets no deadlines on the connection: give the
// http.Server a ReadTimeout.
func Handler(c Config, fn func(context.Context, Report) error) http.Handler {
	h := &handler{
		gate:    newGate(c),
		maxBody: positive(c.MaxBody, defaultMaxBody),
		fn:      fn,
		memory:  newMemory(positive(c.Remember, defaultRemember)),
		slots:   make(chan struct{}, maxInFlight),
		log:     cmp.Or(c.Logger, slog.New(slog.DiscardHandler)),
		meters:  newMeters(c.MeterProvider),
	}
	if h.gate.anyone && h.gate.anywhere {
		h.log.Warn("bizppurio: report handler without a secret accepts reports from anyone")
	}
	return h
}

type handler struct {
	gate    gate
	maxBody int64
	fn      func(context.Context, Report) error
	memory  *memory
	slots   chan struct{}
	log     *slog.Logger
	meters  meters
}

// ServeHTTP answers one push.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reports, status := h.read(w, r)
	if status == http.StatusOK {
		status = h.enter(w, r, reports)
	}
	if status == http.StatusOK {
		w.WriteHeader(status)
		return
	}
	h.log.DebugContext(r.Context(), "bizppurio: report push refused", "status", status)
	http.Error(w, http.StatusText(status), status)
}

// read checks the request and decodes its body.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (reports []Report, status int) {
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return nil, http.StatusMethodNotAllowed
	case !h.gate.lets(r):
		return nil, http.StatusForbidden
	case !h.gate.knows(r):
		return nil, http.StatusNotFound
	case !strings.EqualFold(cmp.Or(r.Header.Get("Content-Encoding"), "identity"), "identity"):
		return nil, http.StatusUnsupportedMediaType
	case r.ContentLength > h.maxBody:
		return nil, http.StatusRequestEntityTooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return nil, http.StatusBadRequest
	}
	reports, err = Decode(body)
	if err == nil && len(reports) == 0 {
		err = errNone
	}
	if err != nil {
		h.log.WarnContext(r.Context(), "bizppurio: body is no report", "bytes", len(body), "error", err)
		return nil, http.StatusBadRequest
	}
	return reports, http.StatusOK
}

// enter takes the reports if there is room for one more request.
func (h *handler) enter(w http.ResponseWriter, r *http.Request, reports []Report) (status int) {
	select {
	case h.slots <- struct{}{}:
	default:
		h.log.WarnContext(r.Context(), "bizppurio: too many report pushes at once")
		w.Header().Set("Retry-After", "1")
		return http.StatusServiceUnavailable
	}
	defer func() {
		<-h.slots
		if status == 0 { // a panic is passing through
			fail(w)
		}
	}()
	var failed error
	for _, report := range reports {
		if err := h.take(r.Context(), report); err != nil {
			failed = err
		}
	}
	if failed != nil {
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

// take hands one report over, once.
func (h *handler) take(ctx context.Context, r Report) error {
	arrived := time.Now()
	first, err := h.memory.do(ctx, r, func() error {
		if h.fn == nil {
			return errUnfinished
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxHandling)
		defer cancel()
		return h.fn(ctx, r)
	})
	switch {
	case err != nil && first:
		h.log.ErrorContext(ctx, "bizppurio: report function failed", "report", r)
	case err == nil && first:
		h.meters.record(ctx, r, arrived)
	}
	return err
}

// fail answers 500 ahead of a panic, on which the server closes the connection
// without an answer.
func fail(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusInternalServerError)
	_ = http.NewResponseController(w).Flush()
}
