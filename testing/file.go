package bizppuriotest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// maxFile is the largest image: 300 KB (spec 1.4).
const maxFile = 300 << 10

// files are the uploaded images.
type files struct {
	mu    sync.Mutex
	until map[string]time.Time // by file key
}

func newFiles() *files { return &files{until: map[string]time.Time{}} }

func (f *files) good(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	until, ok := f.until[key]
	return ok && time.Now().Before(until)
}

// add returns a new key of the shape that was observed (spec 3.4), good for
// a day after the planned time of sending.
func (f *files) add(planned time.Time) string {
	n, err := rand.Int(rand.Reader, big.NewInt(1e18))
	if err != nil {
		n = big.NewInt(time.Now().UnixNano())
	}
	key := time.Now().In(korea()).Format("0102") + fmt.Sprintf("msg_%018d", n)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until[key] = planned.AddDate(0, 0, 1)
	return key
}

// upload is what an upload holds.
type upload struct {
	account, sendTime string
	images            [][]byte
}

// file answers PathFile (spec 1.4).
func (s *Server) file(x *exchange) *reply {
	u, err := readUpload(x.r.Header.Get("Content-Type"), x.body)
	switch {
	case err != nil:
		return refusal(3014, "")
	case u.account != s.opt.account:
		return refusal(3004, "")
	case len(u.images) != 1:
		return refusalBecause(3014, "", "exactly one file")
	case len(u.images[0]) > maxFile || !bytes.HasPrefix(u.images[0], []byte{0xFF, 0xD8}):
		return refusalBecause(3014, "", "the file is a JPEG of at most 300 KB")
	}
	planned := time.Now()
	if u.sendTime != "" {
		seconds, err := strconv.ParseInt(u.sendTime, 10, 64)
		at := time.Unix(seconds, 0)
		if err != nil || len(u.sendTime) != 10 || at.After(planned.AddDate(0, 0, 30)) {
			return refusalBecause(3014, "", "sendtime is unix seconds, at most 30 days ahead")
		}
		if at.After(planned) {
			planned = at
		}
	}
	return asJSON(http.StatusOK, struct {
		FileKey string `json:"filekey"`
	}{s.files.add(planned)})
}

func readUpload(contentType string, body []byte) (u upload, err error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return u, err
	}
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return u, nil
		}
		if err != nil {
			return u, err
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return u, err
		}
		switch part.FormName() {
		case "account":
			u.account = string(value)
		case "sendtime":
			u.sendTime = string(value)
		case "file":
			u.images = append(u.images, value)
		}
	}
}
