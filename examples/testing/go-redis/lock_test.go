// Tests of the lock on a server whose clock they move: `hotkv serve --clock simulated`, at HOTKV_URL.
package lock

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	name = "lock:report"
	ttl  = 30 * time.Second
)

// server is an empty server whose clock stands.
type server struct {
	*testing.T
	ctx context.Context
	rdb *redis.Client
}

func start(t *testing.T) *server {
	t.Helper()
	url := os.Getenv("HOTKV_URL")
	if url == "" {
		url = "redis://127.0.0.1:6380"
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{T: t, ctx: t.Context(), rdb: redis.NewClient(options)}
	t.Cleanup(func() { _ = s.rdb.Close() })
	// Only a server with a simulated clock knows this: no other one gets as far as FLUSHALL.
	s.clock("PAUSE")
	if err := s.rdb.FlushAll(s.ctx).Err(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) clock(args ...any) {
	s.Helper()
	if err := s.rdb.Do(s.ctx, append([]any{"CLOCK"}, args...)...).Err(); err != nil {
		s.Fatal(err)
	}
}

// passTime does what time.Sleep would do, at once.
func (s *server) passTime(d time.Duration) {
	s.Helper()
	s.clock("ADVANCE", d.Milliseconds())
}

func (s *server) lock() *Lock { return New(s.rdb, name, ttl) }

// acquires tries to take the lock, which must end as wanted, and answers the fencing number.
func (s *server) acquires(l *Lock, want bool) int64 {
	s.Helper()
	fence, taken, err := l.Acquire(s.ctx)
	if err != nil || taken != want {
		s.Fatalf("acquire: %v, %v; want %v", taken, err, want)
	}
	return fence
}

// is fails the test unless a call answered what was wanted: s.is(true)(l.Renew(ctx)).
func (s *server) is(want bool) func(bool, error) {
	return func(got bool, err error) {
		s.Helper()
		if err != nil || got != want {
			s.Fatalf("got %v, %v; want %v", got, err, want)
		}
	}
}

func (s *server) heldBy(l *Lock) {
	s.Helper()
	if token, err := s.rdb.Get(s.ctx, name).Result(); err != nil || token != l.token {
		s.Fatalf("held by %q, %v; want %q", token, err, l.token)
	}
}

func (s *server) timeLeft(want time.Duration) {
	s.Helper()
	if left, err := s.rdb.PTTL(s.ctx, name).Result(); err != nil || left != want {
		s.Fatalf("time left: %v, %v; want %v", left, err, want)
	}
}

func (s *server) digest() uint64 {
	s.Helper()
	digest, err := s.rdb.Digest(s.ctx, name).Result()
	if err != nil {
		s.Fatal(err)
	}
	return digest
}

func TestAFreeLockIsTakenForItsTimeToLive(t *testing.T) {
	s := start(t)
	holder := s.lock()
	s.acquires(holder, true)
	s.heldBy(holder)
	s.timeLeft(ttl) // the clock stands, so it is exact
}

func TestAHeldLockIsRefused(t *testing.T) {
	s := start(t)
	holder := s.lock()
	s.acquires(holder, true)
	s.acquires(s.lock(), false)
	s.heldBy(holder)
}

func TestRenewingKeepsTheLock(t *testing.T) {
	s := start(t)
	holder := s.lock()
	s.acquires(holder, true)
	for range 5 {
		s.passTime(ttl - time.Millisecond)
		s.is(true)(holder.Renew(s.ctx))
	}
	s.timeLeft(ttl)
}

func TestTheHolderReleases(t *testing.T) {
	s := start(t)
	holder := s.lock()
	s.acquires(holder, true)
	s.is(true)(holder.Release(s.ctx))
	s.acquires(s.lock(), true)
}

func TestAWrongTokenReleasesNothing(t *testing.T) {
	s := start(t)
	holder := s.lock()
	s.acquires(holder, true)
	s.is(false)(s.lock().Release(s.ctx))
	s.heldBy(holder)
}

func TestADigestEvictsTheHolderThatWasSeenAndNoLaterOne(t *testing.T) {
	s := start(t)
	s.acquires(s.lock(), true)
	seen := s.digest()
	s.passTime(ttl + time.Millisecond)
	later := s.lock()
	s.acquires(later, true)
	s.is(false)(Evict(s.ctx, s.rdb, name, seen))
	s.heldBy(later)
	s.is(true)(Evict(s.ctx, s.rdb, name, s.digest()))
	s.acquires(s.lock(), true)
}

func TestFencingNumbersGrow(t *testing.T) {
	s := start(t)
	first := s.lock()
	earlier := s.acquires(first, true)
	s.acquires(s.lock(), false)
	s.is(true)(first.Release(s.ctx))
	if later := s.acquires(s.lock(), true); later <= earlier {
		t.Fatalf("%d came after %d", later, earlier)
	}
}

func TestALockExpiresRightAfterItsTimeToLive(t *testing.T) {
	s := start(t)
	s.acquires(s.lock(), true)
	// At its deadline a key still lives; a millisecond later it is gone.
	s.passTime(ttl)
	s.acquires(s.lock(), false)
	s.passTime(time.Millisecond)
	s.acquires(s.lock(), true)
}

func TestALateWorkerTakesNothingFromTheNextOwner(t *testing.T) {
	s := start(t)
	late, owner := s.lock(), s.lock()
	s.acquires(late, true)
	s.clock("NEXT") // to the next expiry, which is that of the lock
	s.acquires(owner, true)
	// The late worker wakes up and goes on as if nothing had happened.
	s.is(false)(late.Renew(s.ctx))
	s.is(false)(late.Release(s.ctx))
	s.heldBy(owner)
	s.timeLeft(ttl)
}
