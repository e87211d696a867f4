package live_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// crowd is the readers in a second process, seen from the first.
type crowd struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
}

// gather starts the second process and waits until its readers have joined.
func gather(t *testing.T, addr net.Addr) *crowd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{cmd: exec.CommandContext(t.Context(), self)}
	c.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", crowdEnv, addr, *manyReaders))
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.answers = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.answer(t) // ready
	return c
}

func (c *crowd) answer(t *testing.T) string {
	t.Helper()
	s, err := c.answers.ReadString('\n')
	if err != nil || strings.HasPrefix(s, "failed") {
		t.Fatalf("crowd: %q, %v", s, err)
	}
	return s
}

// round publishes one event and returns when half the readers, 95 percent and
// all of them had it.
func (c *crowd) round(t *testing.T, publish func([]byte)) (late [3]time.Duration) {
	t.Helper()
	if _, err := io.WriteString(c.in, "go\n"); err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte(" "), 200)
	copy(data, fmt.Sprintf("at=%d ", time.Now().UnixNano()))
	publish(data)
	if _, err := fmt.Sscan(c.answer(t), &late[0], &late[1], &late[2]); err != nil {
		t.Fatal(err)
	}
	for i := range late {
		late[i] = late[i].Round(100 * time.Microsecond)
	}
	return late
}

// disperse ends the second process.
func (c *crowd) disperse(t *testing.T) {
	t.Helper()
	_ = c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("crowd: %v", err)
	}
}

// beCrowd is the second process of TestMany: n readers on one epoll, so that the
// readers' own cost is small. For each line on stdin it waits until every
// reader has the next event, and prints median, 95th percentile and last in
// nanoseconds since the time that stands in the event.
func beCrowd(arg string) bool {
	if arg == "" {
		return false
	}
	addr, count, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(count)
	if err == nil {
		err = readers(netip.MustParseAddrPort(addr), n, os.Stdin, os.Stdout)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stdout, "failed:", err)
	}
	return true
}

func readers(to netip.AddrPort, n int, in io.Reader, out io.Writer) error {
	poll, err := syscall.EpollCreate1(0)
	if err != nil {
		return err
	}
	request := []byte("GET /?topic=many HTTP/1.1\r\nHost: x\r\n\r\n")
	buf := make([]byte, 4096)
	for range n {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
			return err
		}
		if _, err := syscall.Write(fd, request); err != nil {
			return err
		}
		for got := []byte(nil); !bytes.Contains(got, []byte("\r\n\r\n")); {
			n, err := syscall.Read(fd, buf)
			if n <= 0 {
				return fmt.Errorf("no header: %w", err)
			}
			got = append(got, buf[:n]...)
		}
		if err := syscall.SetNonblock(fd, true); err != nil {
			return err
		}
		if err := syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(out, "ready")
	events := make([]syscall.EpollEvent, 256)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		late := make([]time.Duration, 0, n)
		for len(late) < n {
			ready, err := syscall.EpollWait(poll, events, int(patience.Milliseconds()))
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if err != nil || ready == 0 {
				return fmt.Errorf("%d of %d readers got the event: %w", len(late), n, err)
			}
			for _, e := range events[:ready] {
				k, _ := syscall.Read(int(e.Fd), buf)
				if k <= 0 {
					return errors.New("a reader was dropped")
				}
				_, after, found := bytes.Cut(buf[:k], []byte("at="))
				if !found {
					continue // a heartbeat
				}
				digits, _, _ := bytes.Cut(after, []byte(" "))
				at, _ := strconv.ParseInt(string(digits), 10, 64)
				late = append(late, time.Since(time.Unix(0, at)))
			}
		}
		slices.Sort(late)
		_, _ = fmt.Fprintln(out, int64(late[n/2]), int64(late[n*95/100]), int64(late[n-1]))
	}
	return nil
}
