// The connections of many schemas to one database server: see ./shared-connections.ts.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type DatabaseLog, endClient, schemaIdentifier } from '../connection.ts';
import { isConnectTimeout, isTooManyConnections, unavailable } from '../failure.ts';

export interface ServerLimits {
  /** The most connections. */
  readonly limit: number;
  readonly waitMs: number;
  readonly idleMs: number;
  readonly frugalMs: number;
}

export interface MemberOptions {
  /** Members of the same key use the same connections. */
  readonly key: string;
  readonly config: pg.ClientConfig;
  readonly schema: string;
  readonly applicationName: string;
  readonly max: number;
  readonly maxCopying: number;
  readonly log: DatabaseLog;
}

/** A schema. */
export interface Member extends MemberOptions {
  readonly place: Place;
  taken: number;
  copying: number;
  /** Called when nothing of it is in use any more. */
  onFree: (() => void) | undefined;
  isClosed: boolean;
}

/** What has one address. */
interface Place {
  readonly key: string;
  readonly idle: Idle[];
  /** Connections that are in use, idle, or being opened. */
  open: number;
  members: number;
}

interface Connection {
  readonly client: pg.PoolClient;
  readonly place: Place;
  /** Whose statements it can run now. */
  schema: string;
  isLost: boolean;
}

interface Idle {
  readonly connection: Connection;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

interface Waiting {
  readonly member: Member;
  readonly copies: boolean;
  isFrugal: boolean;
  readonly go: (found: Connection | 'new') => void;
  readonly refuse: (error: Error) => void;
}

interface Request {
  readonly copies: boolean;
  readonly isFrugal: boolean;
}

/** A connection belongs to no request, also when it is opened for one. */
const outsideOfRequests = AsyncLocalStorage.snapshot();
const RETRY_MS = 100;

export class ServerConnections {
  readonly #limits: ServerLimits;
  readonly #places = new Map<string, Place>();
  readonly #waiting: Waiting[] = [];
  #open = 0;
  #isClosingIdle = false;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  join(options: MemberOptions): Member {
    const place = this.#places.get(options.key) ?? { key: options.key, idle: [], open: 0, members: 0 };
    this.#places.set(options.key, place);
    place.members += 1;
    return { ...options, place, taken: 0, copying: 0, onFree: undefined, isClosed: false };
  }

  async leave(member: Member): Promise<void> {
    if (member.isClosed) return;
    member.isClosed = true;
    for (const each of this.#waiting.filter((waiting) => waiting.member === member)) each.refuse(closed());
    if (member.taken > 0)
      await new Promise<void>((resolve) => {
        member.onFree = resolve;
      });
    const { place } = member;
    place.members -= 1;
    if (place.members > 0) return;
    this.#places.delete(place.key);
    await Promise.all(place.idle.map(({ connection }) => this.#endIdle(connection)));
  }

  /** @throws ServiceError `unavailable` */
  async checkOut(member: Member, request: Request): Promise<pg.PoolClient> {
    const until = performance.now() + this.#limits.waitMs;
    for (;;) {
      const found = await this.#turn(member, request, until);
      try {
        const connection = found === 'new' ? await this.#connect(member) : await this.#bind(found, member);
        return this.#handOut(connection, member, request);
      } catch (error) {
        this.#giveBack(member, request);
        const isLostIdle = found !== 'new';
        if (!isLostIdle && !isPassing(error)) throw unavailable(error);
        if (performance.now() >= until) throw unavailable(error);
        if (!isLostIdle) await delay(RETRY_MS);
      }
    }
  }

  #turn(member: Member, { copies, isFrugal }: Request, until: number): Promise<Connection | 'new'> {
    if (member.isClosed) return Promise.reject(unavailable(closed()));
    const turn = Promise.withResolvers<Connection | 'new'>();
    let timers: NodeJS.Timeout[] = [];
    const leave = () => {
      for (const timer of timers) clearTimeout(timer);
      timers = [];
      const index = this.#waiting.indexOf(waiting);
      if (index !== -1) this.#waiting.splice(index, 1);
    };
    const waiting: Waiting = {
      member,
      copies,
      isFrugal,
      go: (found) => {
        leave();
        member.taken += 1;
        if (copies) member.copying += 1;
        if (found === 'new') {
          this.#open += 1;
          member.place.open += 1;
        }
        turn.resolve(found);
      },
      refuse: (error) => {
        leave();
        turn.reject(unavailable(error));
      },
    };
    this.#waiting.push(waiting);
    this.#next();
    if (!this.#waiting.includes(waiting)) return turn.promise;
    const late = () => {
      waiting.refuse(new Error('No connection became free: all that this process may have are in use'));
      this.#next();
    };
    timers.push(setTimeout(late, Math.max(until - performance.now(), 0)));
    if (isFrugal) {
      const goOn = () => {
        waiting.isFrugal = false;
        this.#next();
      };
      timers.push(setTimeout(goOn, this.#limits.frugalMs));
    }
    return turn.promise;
  }

  /**
   * Lets those go on whose turn it is. One that waits for its own schema or address holds up no other. One for which a
   * connection must be closed holds up all that came later: a busy tenant would otherwise keep its connections for
   * itself.
   */
  #next(): void {
    for (let index = 0; index < this.#waiting.length; ) {
      const waiting = this.#waiting[index] as Waiting;
      const found = this.#find(waiting);
      if (found === 'full') {
        this.#closeOldest();
        return;
      }
      if (found === 'later') index += 1;
      else waiting.go(found);
    }
  }

  #find({ member, copies, isFrugal }: Waiting): Connection | 'new' | 'later' | 'full' {
    const { place, schema } = member;
    if (member.taken >= member.max || (copies && member.copying >= member.maxCopying)) return 'later';
    const own = place.idle.findLast(({ connection }) => connection.schema === schema) ?? place.idle.at(-1);
    if (own !== undefined) return this.#takeIdle(own);
    if (isFrugal && place.open > 0) return 'later';
    return this.#open < this.#limits.limit ? 'new' : 'full';
  }

  #takeIdle(idle: Idle): Connection {
    const { connection, timer } = idle;
    clearTimeout(timer);
    connection.place.idle.splice(connection.place.idle.indexOf(idle), 1);
    return connection;
  }

  #closeOldest(): void {
    if (this.#isClosingIdle) return;
    let oldest: Idle | undefined;
    for (const {
      idle: [first],
    } of this.#places.values())
      if (first !== undefined && (oldest === undefined || first.since < oldest.since)) oldest = first;
    if (oldest === undefined) return;
    this.#isClosingIdle = true;
    void this.#endIdle(oldest.connection).finally(() => {
      this.#isClosingIdle = false;
      this.#next();
    });
  }

  async #connect({ place, config, schema, log }: Member): Promise<Connection> {
    const client = new pg.Client(config) as pg.PoolClient;
    const connection: Connection = { client, place, schema, isLost: false };
    const lose = () => {
      connection.isLost = true;
    };
    client.on('error', (error) => {
      lose();
      if (place.idle.some((idle) => idle.connection === connection)) {
        log('warn', 'database_connection_lost', { schema, error: error.message });
        void this.#endIdle(connection);
      }
    });
    client.on('end', lose);
    try {
      await outsideOfRequests(() => client.connect());
      return connection;
    } catch (error) {
      void endClient(client);
      this.#forget(place);
      throw error;
    }
  }

  /** Makes the connection the schema's: nothing of the session before stays. */
  async #bind(connection: Connection, { schema, applicationName }: Member): Promise<Connection> {
    if (connection.schema === schema) return connection;
    const { client } = connection;
    try {
      const statements = [
        'DISCARD ALL',
        `SET search_path = ${schemaIdentifier(schema)}, public; SET application_name = ${pg.escapeLiteral(applicationName)}`,
      ];
      await Promise.all(statements.map((statement) => client.query(statement)));
    } catch (error) {
      await this.#end(connection);
      throw error;
    }
    forgetStatements(client);
    connection.schema = schema;
    return connection;
  }

  #handOut(connection: Connection, member: Member, request: Request): pg.PoolClient {
    const { client } = connection;
    // COPY needs the connection for itself.
    Object.assign(client, { pipeline: !request.copies });
    let isReleased = false;
    client.release = (isBroken) => {
      if (isReleased) throw new Error('The connection was released already');
      isReleased = true;
      const { place } = connection;
      const isOfUse = !isBroken && !connection.isLost && isAtRest(client) && place.members > 0;
      if (isOfUse) this.#keep(connection);
      else void this.#end(connection);
      this.#giveBack(member, request);
    };
    return client;
  }

  #keep(connection: Connection): void {
    const end = () => void this.#endIdle(connection);
    const timer = outsideOfRequests(() => setTimeout(end, this.#limits.idleMs));
    connection.place.idle.push({ connection, since: performance.now(), timer });
  }

  #giveBack(member: Member, { copies }: Request): void {
    member.taken -= 1;
    if (copies) member.copying -= 1;
    if (member.taken === 0) member.onFree?.();
    this.#next();
  }

  async #endIdle(connection: Connection): Promise<void> {
    const idle = connection.place.idle.find((each) => each.connection === connection);
    if (idle === undefined) return;
    this.#takeIdle(idle);
    await this.#end(connection);
  }

  async #end({ client, place }: Connection): Promise<void> {
    await endClient(client);
    this.#forget(place);
  }

  #forget(place: Place): void {
    place.open -= 1;
    this.#open -= 1;
    this.#next();
  }
}

/** Whether another attempt to connect may succeed: the server is busy, or ends other connections at this moment. */
function isPassing(error: unknown): boolean {
  return isConnectTimeout(error) || isTooManyConnections(error);
}

/** A transaction that was left open goes with its connection. */
function isAtRest(client: pg.PoolClient): boolean {
  const status = client.getTransactionStatus();
  return status !== 'T' && status !== 'E';
}

/** What the driver believes that the server has prepared. */
function forgetStatements(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: Record<string, unknown> };
  Object.assign(connection, { parsedStatements: {}, submittedNamedStatements: {} });
}

function closed(): Error {
  return new Error('The database is closed');
}
