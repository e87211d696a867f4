package live_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/go-bizppurio/sdk/report/live"
)

// The application decides who reads what: here by a header that stands for its
// session.
func Example() {
	hub := live.NewHub(live.Config{Topic: func(r *http.Request) (string, error) {
		user := r.Header.Get("X-User")
		if user == "" {
			return "", http.ErrNoCookie
		}
		return "user-" + user, nil
	}})
	srv := httptest.NewServer(hub)
	defer srv.Close()
	defer hub.Close()

	req, _ := http.NewRequest(http.MethodGet, srv.URL, nil)
	req.Header.Set("X-User", "7")
	resp, err := srv.Client().Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()

	// An id of the page's own and a status, never the report itself.
	hub.Publish("user-7", "delivered", []byte(`{"order":"A-1004"}`))

	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "id:") {
		fmt.Println(lines.Text())
	}
	// Output:
	// event: delivered
	// data: {"order":"A-1004"}
}
