import { EventEmitter, once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** How a link treats what passes through it. */
interface Manner {
  /** Each piece of data arrives so much later, in both directions. */
  delayMillis: number;
  /** Nothing arrives any more, and nobody is told. */
  held: boolean;
  /** So many answers are lost, each with its connection. */
  answersToLose: number;
}

/**
 * A TCP proxy between two processes, which cuts, delays and holds back what they say to each other. Both ends are on
 * loopback. A connection that breaks is reset, as by a machine that has gone away.
 */
export class Link {
  private readonly connections = new Set<Connection>();
  private readonly manner: Manner = { delayMillis: 0, held: false, answersToLose: 0 };
  /** Who talks to whom: `api-1 → postgres`. */
  readonly name: string;
  private readonly server: Server;
  private readonly targets: readonly number[];
  private readonly openings = new EventEmitter();
  private turn = 0;
  /** Connections that were opened through it. */
  opened = 0;
  /** Answers that it has lost. */
  lostAnswers = 0;

  private constructor(name: string, server: Server, targets: readonly number[]) {
    this.name = name;
    this.server = server;
    this.targets = targets;
    server.on('connection', (near) => this.open(near));
  }

  /** Listens on a free port and passes each connection on to one of the target ports, taking turns. */
  static async between(name: string, ...targets: number[]): Promise<Link> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Link(name, server, targets);
  }

  /** Where the near end connects to. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The ports that the far end sees connections from: by them a server's list of its clients names this link. */
  get farPorts(): number[] {
    return [...this.connections].flatMap(({ far }) => far.localPort ?? []);
  }

  /** Ends every connection now, and says how many there were. New ones are let through. */
  cut(): number {
    const all = [...this.connections];
    for (const connection of all) connection.reset();
    return all.length;
  }

  /** Resolves when there is a connection: at once, or when the next one is opened and has said nothing yet. */
  async inUse(): Promise<void> {
    if (this.connections.size === 0) await once(this.openings, 'open');
  }

  /** From now on each piece of data arrives `millis` later than it would. */
  delay(millis: number): void {
    this.manner.delayMillis = millis;
  }

  /** From now on nothing arrives, and the connections stay: what a lost route looks like. */
  hold(): void {
    this.manner.held = true;
  }

  /** How many pieces of data are held back now. */
  get heldBack(): number {
    return [...this.connections].reduce((sum, connection) => sum + connection.heldBack, 0);
  }

  /** The next `count` answers are lost: what was asked for is done, and the connection ends without a word. */
  loseAnswers(count: number): void {
    this.manner.answersToLose = count;
  }

  /** Everything passes as if the link was not there; what was held back arrives now. */
  heal(): void {
    Object.assign(this.manner, { delayMillis: 0, held: false, answersToLose: 0 } satisfies Manner);
    for (const connection of this.connections) connection.pass();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private open(near: Socket): void {
    this.opened++;
    const port = this.targets[this.turn++ % this.targets.length]!;
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const connection = new Connection(near, far, this.manner, () => this.lostAnswers++);
    this.connections.add(connection);
    connection.whenOver(() => this.connections.delete(connection));
    this.openings.emit('open');
  }
}

class Connection {
  private readonly near: Socket;
  readonly far: Socket;
  private readonly there: Pipe;
  private readonly back: Pipe;
  /** Something was said that was not answered yet. */
  private isAwaited = false;

  constructor(near: Socket, far: Socket, manner: Manner, onLostAnswer: () => void) {
    this.near = near;
    this.far = far;
    this.there = new Pipe(far, manner);
    this.back = new Pipe(near, manner);
    near.on('data', (data) => {
      this.isAwaited = true;
      this.there.take(data, near);
    });
    far.on('data', (data) => {
      if (this.isAwaited && manner.answersToLose > 0) {
        manner.answersToLose--;
        onLostAnswer();
        this.reset();
        return;
      }
      this.isAwaited = false;
      this.back.take(data, far);
    });
    near.on('end', () => this.there.take('end', near));
    far.on('end', () => this.back.take('end', far));
    for (const socket of [near, far]) {
      socket.on('error', () => this.reset());
      socket.on('close', () => this.leave());
    }
  }

  reset(): void {
    this.there.drop();
    this.back.drop();
    for (const socket of [this.near, this.far]) if (!socket.destroyed) socket.resetAndDestroy();
  }

  pass(): void {
    this.there.pass();
    this.back.pass();
  }

  get heldBack(): number {
    return this.there.waiting.length + this.back.waiting.length;
  }

  whenOver(over: () => void): void {
    for (const socket of [this.near, this.far])
      socket.on('close', () => {
        if (this.near.destroyed && this.far.destroyed) over();
      });
  }

  /** One end has closed: when it had said goodbye before, the other has heard of that; if not, it is cut off too. */
  private leave(): void {
    const [ended, other] = this.near.destroyed ? [this.near, this.far] : [this.far, this.near];
    if (!ended.readableEnded && !other.destroyed) this.reset();
  }
}

/** One direction of a connection. */
class Pipe {
  private readonly to: Socket;
  private readonly manner: Manner;
  readonly waiting: { data: Buffer | 'end'; from: Socket; dueAt: number }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(to: Socket, manner: Manner) {
    this.to = to;
    this.manner = manner;
  }

  take(data: Buffer | 'end', from: Socket): void {
    this.waiting.push({ data, from, dueAt: performance.now() + this.manner.delayMillis });
    this.pass();
  }

  pass(): void {
    clearTimeout(this.timer);
    while (!this.manner.held && this.waiting.length > 0) {
      const { data, from, dueAt } = this.waiting[0]!;
      const early = this.manner.delayMillis === 0 ? 0 : dueAt - performance.now();
      if (early > 0) {
        this.timer = setTimeout(() => this.pass(), early);
        return;
      }
      this.waiting.shift();
      if (data === 'end') this.to.end();
      else if (!this.to.write(data)) {
        from.pause();
        this.to.once('drain', () => from.resume());
      }
    }
  }

  drop(): void {
    clearTimeout(this.timer);
    this.waiting.length = 0;
  }
}
