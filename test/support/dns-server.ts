import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const TXT = 16;
const INTERNET = 1;
/** The answer to a question about a name that does not exist (RFC 1035, section 4.1.1). */
const NAME_ERROR = 3;
const HEADER_BYTES = 12;

/** A DNS server on this machine that has TXT records. */
export class DnsServer {
  /** The content of the record of each name. */
  readonly records = new Map<string, string>();

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {
    socket.on('message', (query, from) => socket.send(this.answer(query), from.port, from.address));
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket, `127.0.0.1:${socket.address().port}`);
  }

  async stop(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private answer(query: Buffer): Buffer {
    const labels: string[] = [];
    let end = HEADER_BYTES;
    for (; query[end]! > 0; end += query[end]! + 1)
      labels.push(query.toString('latin1', end + 1, end + 1 + query[end]!));
    const question = query.subarray(HEADER_BYTES, end + 5);
    const text = this.records.get(labels.join('.').toLowerCase());
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    // A response, recursion available, and the result.
    header.writeUInt16BE(0x8180 | (text === undefined ? NAME_ERROR : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(text === undefined ? 0 : 1, 6);
    return Buffer.concat([header, question, ...(text === undefined ? [] : [txtRecord(text)])]);
  }
}

/** A TXT record whose name is that of the question. */
function txtRecord(text: string): Buffer {
  const content = Buffer.from(text);
  const record = Buffer.alloc(13);
  // A pointer to the name behind the header.
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(TXT, 2);
  record.writeUInt16BE(INTERNET, 4);
  record.writeUInt16BE(content.length + 1, 10);
  record[12] = content.length;
  return Buffer.concat([record, content]);
}
