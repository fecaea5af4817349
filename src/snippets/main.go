// Does work that only one may do at a time, under a lock.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	lockKey  = "lock:name"
	fenceKey = "lock:name:fence"
	ttl      = 30000 * time.Millisecond
)

var errLost = errors.New("the lock is lost: the work stops")

// only: older
var (
	renewScript   = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`)
	releaseScript = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
)

// end
type lock struct {
	rdb   *redis.Client
	token string
	// only: redis

	digest uint64 // of the token, by which the server tells what it holds
	// end
}

// acquire takes the lock and a fencing number; it is not taken when somebody else holds it.
func (l *lock) acquire(ctx context.Context) (taken bool, fence int64, err error) {
	pipe := l.rdb.TxPipeline()
	set := pipe.SetNX(ctx, lockKey, l.token, ttl)
	incr := pipe.Incr(ctx, fenceKey) // whoever is refused takes a number too: they only have to grow
	// only: redis
	digest := pipe.Digest(ctx, lockKey)
	// end
	if _, err := pipe.Exec(ctx); err != nil {
		return false, 0, err
	}
	// only: redis
	l.digest = digest.Val()
	// end
	return set.Val(), incr.Val(), nil
}

func (l *lock) renew(ctx context.Context) (bool, error) {
	// only: redis valkey
	err := l.rdb.SetIFEQ(ctx, lockKey, l.token, l.token, ttl).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
	// end
	// only: older
	n, err := renewScript.Run(ctx, l.rdb, []string{lockKey}, l.token, ttl.Milliseconds()).Int()
	return n == 1, err
	// end
}

func (l *lock) release(ctx context.Context) (bool, error) {
	// only: redis
	n, err := l.rdb.DelExArgs(ctx, lockKey, redis.DelExArgs{Mode: "IFEQ", MatchValue: l.token}).Result()
	// end
	// only: valkey
	n, err := l.rdb.Do(ctx, "DELIFEQ", lockKey, l.token).Int()
	// end
	// only: older
	n, err := releaseScript.Run(ctx, l.rdb, []string{lockKey}, l.token).Int()
	// end
	return n == 1, err
}

// isMine asks the server, which costs a round trip.
func (l *lock) isMine(ctx context.Context) (bool, error) {
	// only: redis
	found, err := l.rdb.Digest(ctx, lockKey).Result()
	// end
	// only: valkey older
	found, err := l.rdb.Get(ctx, lockKey).Result()
	// end
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	// only: redis
	return found == l.digest, err
	// end
	// only: valkey older
	return found == l.token, err
	// end
}

// keep renews until the work is done. Without a reply it tries again: the timer stops the work in time.
func (l *lock) keep(ctx context.Context, timer *time.Timer, stop context.CancelCauseFunc) {
	tick := time.NewTicker(ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		mine, err := l.renew(ctx)
		switch {
		case err != nil:
			log.Printf("not renewed yet: %v", err)
		case !mine:
			stop(errLost)
		default:
			timer.Reset(ttl - time.Since(asked))
		}
	}
}

// work is yours, in parts. Every write takes the fencing number along, and its target refuses a smaller one.
func work(ctx context.Context, l *lock, fence int64) error {
	for part := 1; part <= 5; part++ {
		mine, err := l.isMine(ctx)
		if err != nil {
			return err
		}
		if !mine {
			return errLost
		}
		fmt.Printf("part %d, fencing number %d\n", part, fence)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(ttl * 2 / 5):
		}
	}
	return nil
}

func run() error {
	url := os.Getenv("REDIS_URL")
	if url == "" {
		url = "redis://127.0.0.1:6379"
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		return err
	}
	// No retries: a SET NX that is sent twice is refused because of itself.
	options.MaxRetries, options.ReadTimeout = -1, ttl/3
	bytes := make([]byte, 16) // 128 random bits: nobody else has the same
	if _, err := rand.Read(bytes); err != nil {
		return err
	}
	l := &lock{rdb: redis.NewClient(options), token: hex.EncodeToString(bytes)}
	defer l.rdb.Close()

	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	timer := time.AfterFunc(ttl, func() { stop(errLost) })
	taken, fence, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	if !taken {
		return errors.New("somebody else holds the lock")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.keep(ctx, timer, stop)
	}()
	err = work(ctx, l, fence)
	timer.Stop()
	stop(nil)
	<-done
	if mine, failed := l.release(context.Background()); failed != nil {
		return errors.Join(err, failed)
	} else if !mine {
		return errors.Join(err, errors.New("the lock was no longer ours"))
	}
	fmt.Println("released")
	return err
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
