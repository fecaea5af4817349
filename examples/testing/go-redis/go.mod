// How to test lock code by go-redis on a server whose clock the tests move. go-redis 9.17.0 is the oldest version that will do.
module example.com/lock

go 1.24

require github.com/redis/go-redis/v9 v9.18.0
