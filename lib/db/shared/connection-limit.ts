// A limit of the connections that many pools of one process hold to one database server together: those of tenants,
// each of which has few (docs/adr/0147). A statement that finds none free waits for its turn. What other pools keep
// idle is closed for it.
import type pg from 'pg';
import { unavailable } from '../failure.ts';

export interface ConnectionLimit {
  /**
   * A connection of the pool in its turn. The pool's own `max` holds, too, and its queue is not used.
   * @param server from `serverOf` (../connection.ts)
   * @throws ServiceError `unavailable` when the server cannot be reached, or no turn comes within half a minute
   */
  checkOut(pool: pg.Pool, server: string): Promise<pg.PoolClient>;
}

export interface ConnectionLimitOptions {
  /** Of the connections to each server. */
  readonly perServer: number;
  /** How long a statement waits for its turn; 30 s when left out. */
  readonly waitMs?: number;
}

const WAIT_MS = 30_000;

interface Member {
  readonly pool: pg.Pool;
  /** Connections that are checked out or about to be. */
  taken: number;
}

interface Waiting {
  readonly member: Member;
  readonly go: () => void;
}

export function createConnectionLimit({ perServer, waitMs = WAIT_MS }: ConnectionLimitOptions): ConnectionLimit {
  const servers = new Map<string, Server>();
  return {
    checkOut(pool, name) {
      const server = servers.get(name) ?? new Server(perServer, waitMs);
      servers.set(name, server);
      return server.checkOut(pool);
    },
  };
}

class Server {
  readonly #limit: number;
  readonly #waitMs: number;
  readonly #members = new Map<pg.Pool, Member>();
  readonly #waiting: Waiting[] = [];
  #isClosingIdle = false;

  constructor(limit: number, waitMs: number) {
    this.#limit = limit;
    this.#waitMs = waitMs;
  }

  async checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
    const member = this.#memberOf(pool);
    return this.#waiting.length > 0 || !this.#mayTake(member) ? this.#turn(member) : this.#take(member);
  }

  #memberOf(pool: pg.Pool): Member {
    const known = this.#members.get(pool);
    if (known !== undefined) return known;
    for (const each of this.#members.keys()) if (each.ended) this.#members.delete(each);
    const member = { pool, taken: 0 };
    this.#members.set(pool, member);
    // The pool has its connection back, or has ended it, when this turn of the loop ends.
    pool.on('release', () => {
      member.taken -= 1;
      setImmediate(() => this.#next());
    });
    pool.on('remove', () => this.#next());
    return member;
  }

  /** Whether a connection is idle, or may be opened. */
  #mayTake({ pool, taken }: Member): boolean {
    if (pool.ending || taken < pool.totalCount) return true;
    return taken < pool.options.max && this.#open() < this.#limit;
  }

  #open(): number {
    let open = 0;
    for (const { pool, taken } of this.#members.values()) open += Math.max(pool.totalCount, taken);
    return open;
  }

  async #take(member: Member): Promise<pg.PoolClient> {
    member.taken += 1;
    try {
      return await member.pool.connect();
    } catch (error) {
      member.taken -= 1;
      this.#next();
      throw unavailable(error);
    }
  }

  #turn(member: Member): Promise<pg.PoolClient> {
    const turn = Promise.withResolvers<pg.PoolClient>();
    const waiting = { member, go: () => turn.resolve(this.#take(member)) };
    this.#waiting.push(waiting);
    const late = setTimeout(() => {
      const index = this.#waiting.indexOf(waiting);
      // Its turn has come, and the connection is being opened.
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      turn.reject(unavailable(new Error('No connection became free: all that this process may have are in use')));
    }, this.#waitMs);
    this.#next();
    return turn.promise.finally(() => clearTimeout(late));
  }

  /**
   * Lets those go on whose turn it is. One that waits for its own pool holds up no other. One for which a connection
   * must be closed holds up all that came later: a busy tenant would otherwise keep its connections for itself.
   */
  #next(): void {
    for (let index = 0; index < this.#waiting.length; ) {
      const { member, go } = this.#waiting[index] as Waiting;
      if (this.#mayTake(member)) {
        this.#waiting.splice(index, 1);
        go();
      } else if (member.taken >= member.pool.options.max) index += 1;
      else {
        this.#closeIdle();
        return;
      }
    }
  }

  #closeIdle(): void {
    if (this.#isClosingIdle) return;
    for (const member of this.#members.values()) {
      if (member.pool.ending || member.taken >= member.pool.totalCount) continue;
      this.#isClosingIdle = true;
      void this.#take(member)
        .then((client) => client.release(true))
        .catch(() => undefined)
        .finally(() => {
          this.#isClosingIdle = false;
          this.#next();
        });
      return;
    }
  }
}
