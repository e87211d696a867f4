package bizppurio

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	"github.com/go-bizppurio/sdk/token"
)

const (
	// version is that of this module; it stands in the User-Agent.
	version   = "0.1.0"
	userAgent = "go-bizppurio/" + version
	jsonType  = "application/json; charset=utf-8" // spec 1.1
)

// Client sends messages (메시지 발송) from one account. Make one for the life
// of the program with [New] and share it: it is safe for concurrent use, and
// its pool of connections is what makes it fast.
type Client struct {
	cfg        Config
	basic      string // Authorization of token calls
	urls       map[*operation]*url.URL
	engine     engine.Engine
	owned      bool // the engine is ours to close
	pooled     bool // the engine has a pool to wait for, and tells when the wait is over
	tokens     *token.Cache
	retry      *retryablehttp.Client
	limit      *limiter
	throughput throughput
	sends      *breaker
	logins     *breaker
	reports    *breaker
	tel        *telemetry
	log        *slog.Logger
	tokenless  atomic.Bool // token trouble was told

	closing context.Context // ends when Close begins
	closed  context.CancelFunc
	running sync.WaitGroup // calls between enter and leave
	gate    sync.RWMutex   // Close against enter
	once    sync.Once
	gone    chan struct{} // closed when Close is done
}

// New makes a Client. It does no I/O, and reports every problem of the Config
// at once, each as a [*send.FieldError].
func New(cfg Config) (*Client, error) {
	cfg = cfg.withDefaults()
	base, err := cfg.check()
	if err != nil {
		return nil, err
	}
	c := &Client{
		cfg:   cfg,
		basic: "Basic " + base64.StdEncoding.EncodeToString([]byte(cfg.Account+":"+cfg.Password)),
		urls:  make(map[*operation]*url.URL),
		limit: newLimiter(cfg.Rate),
		log:   newLog(cfg.Logger),
		gone:  make(chan struct{}),
	}
	for _, op := range operations() {
		c.urls[op] = below(base, op.path)
	}
	if c.engine = cfg.Engine; c.engine == nil {
		c.engine, c.owned = engine.New(cfg.Pool), true
	}
	_, c.pooled = c.engine.(statser)
	c.sends = newBreaker("send", cfg.Breaker, c.log)
	c.logins = newBreaker("token", cfg.Breaker, c.log)
	c.reports = newBreaker("report", cfg.Breaker, c.log)
	c.retry = newRetry(cfg.Retry.Attempts, bracket{})
	c.closing, c.closed = context.WithCancel(context.Background())
	if c.tel, err = newTelemetry(cfg, base); err == nil {
		err = c.observe()
	}
	if err != nil {
		c.closed()
		return nil, fmt.Errorf("bizppurio: telemetry: %w", err)
	}
	c.tokens = token.NewCache(c.login, token.Options{Key: base.Host + "/" + cfg.Account, Store: cfg.Tokens})
	return c, nil
}

// target is the address of an operation.
func (c *Client) target(op *operation) *url.URL { return c.urls[op] }

// breakerOf keeps apart what may be ill by itself: that reports cannot be had
// says nothing about sends.
func (c *Client) breakerOf(op *operation) *breaker {
	switch op {
	case opToken:
		return c.logins
	case opReport, opPoll, opConfirm:
		return c.reports
	}
	return c.sends
}

// Send sends one message and returns when its outcome is known. The error is
// nil only when Bizppurio accepted it; else it is a [*send.Error], whose
// Outcome says whether the message may be sent again. The Receipt holds the
// RefKey in every case.
//
// A message is sent once. It is sent again by itself only where the first
// attempt provably did not reach the vendor or was turned away by it, within
// Config.Retry and the time that ctx leaves.
func (c *Client) Send(ctx context.Context, m send.Message) (send.Receipt, error) {
	if m.RefKey == "" {
		m.RefKey = send.NewRefKey()
	}
	l, ok := c.begin(ctx, opSend, m.Type())
	defer l.end()
	l.refkey = m.RefKey
	if ok {
		l.send(m)
	}
	receipt := send.Receipt{RefKey: m.RefKey, Attempts: l.attempts}
	if l.verdict.outcome == send.Accepted {
		receipt.MessageKey = l.verdict.answer.MessageKey
	}
	return receipt, l.error()
}

func (c *call) send(m send.Message) {
	c.client.throughput.begin()
	defer func() { c.client.throughput.end(c.attempts > 0 && c.verdict.outcome != send.NotSent) }()
	if m.From == "" {
		m.From = c.client.cfg.From
	}
	body, err := encode(m, c.client.cfg.Account)
	if err != nil {
		c.verdict = invalid(err)
		return
	}
	c.body, c.ad, c.at = body, m.Advertises(), m.At
	c.run()
}

// usualBody is room for most messages.
const usualBody = 512

// encode validates m and makes the body of its request.
func encode(m send.Message, account string) ([]byte, error) {
	err := m.Validate()
	if m.From == "" {
		err = errors.Join(err, &send.FieldError{Field: "From", Problem: "required, here or in Config.From"})
	}
	if err != nil {
		return nil, err
	}
	return m.AppendBody(make([]byte, 0, usualBody), account)
}

// SendAll is [send.All] with this Client: it sends the messages of msgs, at
// most b.Parallel at a time, and yields one result for each as they finish.
//
// No more are in flight than Config.Pool.MaxConns: the others would wait for a
// connection, and fail as PoolTimeout where the vendor is slow. Where
// Config.Engine was given, choose a b.Parallel that its pool can carry.
//
// Nothing slows msgs down when sends fail before they leave. Once the breaker
// is open, no token can be had, or the vendor holds calls for more than a
// minute, all that is pulled comes back at once as NotSent (CircuitOpen,
// TokenUnavailable, RateLimited), with a RetryAfter. Let msgs wait that long,
// as the example does, or leave the loop.
func (c *Client) SendAll(ctx context.Context, msgs iter.Seq[send.Message], b send.Batch) iter.Seq2[send.Receipt, error] {
	if c != nil && c.owned {
		most := or(c.cfg.Pool.MaxConns, defaultFlights)
		b.Parallel = min(or(b.Parallel, defaultFlights), most)
	}
	return send.All(ctx, c, msgs, b)
}

// defaultFlights is what zero means for [engine.Config] and [send.Batch].
const defaultFlights = 16

// Warm makes the next send quick: it fetches a token if there is none, and
// has a connection dialled ahead where the engine can do that. Its error is a
// [*send.Error]; nothing but time is lost when it fails.
func (c *Client) Warm(ctx context.Context) error {
	l, ok := c.begin(ctx, opWarm, "")
	defer l.end()
	if ok {
		l.warm()
	}
	return l.error()
}

func (c *call) warm() {
	_, v, ok := c.authorise()
	if c.verdict = v; !ok {
		return
	}
	c.verdict.outcome = send.Accepted
	w, ok := c.client.engine.(interface {
		Warm(ctx context.Context, base *url.URL) error
	})
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(c, c.client.cfg.AttemptTimeout)
	defer cancel()
	if err := w.Warm(ctx, c.client.target(opSend)); err != nil {
		c.verdict = c.abandoned(send.Unreachable, transport(err))
	}
}

var errClosed = errors.New("the client is closed")

// Close refuses new calls as NotSent/Closed and ends the same way those that
// wait for a token, the rate limit, a connection, their next attempt or the
// image that they are to upload. Calls whose request is on the wire run to
// their end, which AttemptTimeout bounds. Then it closes the engine, if New
// made it. Close may be called more than once and from several goroutines: each
// call returns when all is done.
func (c *Client) Close() error {
	if c == nil || c.engine == nil {
		return nil
	}
	var err error
	c.once.Do(func() {
		defer close(c.gone)
		c.gate.Lock()
		c.closed()
		c.gate.Unlock()
		err = c.tokens.Close()
		if c.owned {
			// Ends the waits for a connection; what is on the wire goes on.
			err = errors.Join(err, c.engine.Close())
		}
		c.running.Wait()
		if c.owned {
			err = errors.Join(err, c.engine.Close()) // connections that came back meanwhile
		}
		err = errors.Join(err, c.tel.observed.Unregister())
		c.tel.pool.close()
	})
	<-c.gone
	return err
}

// Format writes the name of the type, whatever the verb: the fields hold the
// account.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "bizppurio.Client") }

// invalid is the verdict of our own validation.
func invalid(err error) verdict {
	return verdict{outcome: send.Rejected, reason: send.Invalid, err: err}
}
