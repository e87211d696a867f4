package main

import (
	"io"
	"net"
	"sync"
	"testing"
)

// cable stands between a browser and the program. It can be cut.
type cable struct {
	listener net.Listener
	to       string

	mu     sync.Mutex
	answer string // to new connections instead of the program; "": they go through
	dead   bool   // new connections are closed
	open   map[net.Conn]bool
}

// lay returns a cable to the address.
func lay(t *testing.T, to string) *cable {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: listener, to: to, open: map[net.Conn]bool{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.run(t)
	}()
	t.Cleanup(func() {
		listener.Close()
		c.cut("")
		<-done
	})
	return c
}

func (c *cable) url() string { return "http://" + c.listener.Addr().String() }

// cut ends all connections. New ones are closed too, or get an answer.
func (c *cable) cut(answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead, c.answer = true, answer
	for conn := range c.open {
		conn.Close()
	}
	clear(c.open)
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = false
}

func (c *cable) run(t *testing.T) {
	t.Helper()
	var both sync.WaitGroup
	defer both.Wait()
	for {
		near, err := c.listener.Accept()
		if err != nil {
			return
		}
		far, err := new(net.Dialer).DialContext(t.Context(), "tcp", c.to)
		if err != nil {
			near.Close()
			continue
		}
		if !c.keep(near, far) {
			far.Close()
			both.Go(func() { c.refuse(near) })
			continue
		}
		for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
			both.Go(func() {
				_, _ = io.Copy(way[0], way[1])
				near.Close()
				far.Close()
			})
		}
	}
}

// keep remembers the connections for cut. It reports false when they shall not
// be.
func (c *cable) keep(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return false
	}
	for _, conn := range conns {
		c.open[conn] = true
	}
	return true
}

// refuse answers one request, if there is an answer, and closes.
func (c *cable) refuse(conn net.Conn) {
	defer conn.Close()
	c.mu.Lock()
	answer := c.answer
	c.mu.Unlock()
	if answer == "" {
		return
	}
	if _, err := conn.Read(make([]byte, 8<<10)); err != nil {
		return
	}
	_, _ = io.WriteString(conn, answer)
}
