import { setTimeout as pause } from 'node:timers/promises';
import { backoffMillis } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import type { UsageEventToImport } from './mapping.js';

/** A valid row of the file with its event. */
export interface RowToSend {
  row: number;
  event: UsageEventToImport;
}

/** A row that was not stored, with the reason. */
export interface RejectedRow {
  row: number;
  /** The code of the rejection, as in the answer of `POST /v1/events`. */
  code: string;
  reason: string;
}

/** The result of sending rows. */
export interface SendResult {
  /** The number of rows that the API has accepted. */
  accepted: number;
  /** The number of accepted rows whose idempotency key had been stored before. */
  repeated: number;
  /** The number of accepted rows that are not stored, because an earlier event with other content has their key. */
  reusedKeys: number;
  rejected: RejectedRow[];
  /** The number of accepted rows that no metric counts, or that a metric skips. `warnings` has the reasons, at most 50 for each request. */
  unmatched: number;
  /** The number of accepted rows that metrics count and that nothing charges to their customers. */
  unpriced: number;
  warnings: UsageWarning[];
}

/** A reason why some rows do not count as usage, or are not charged. */
export interface UsageWarning {
  code: string;
  reason: string;
  /** The number of rows to which the reason applies. */
  count: number;
}

interface IngestAnswer {
  accepted: string[];
  rejected: { index: number; code: string; reason: string }[];
  warnings?: UsageWarning[];
}

/** A response with its complete body. */
interface Answer {
  response: Response;
  text: string;
}

const RETRY = { firstMillis: 250, maxMillis: 15_000 };
/** The time for which a request is tried again without success, before the import gives up. */
const GIVE_UP_AFTER_MILLIS = 5 * 60_000;
/** The error codes of a lost connection. Any other network error of the first request means that no API runs at the address. */
const LOST_CONNECTION_CODES = [
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

/**
 * Sends batches of usage events to the API. If the API is busy or unreachable, the sender sends the batch again. Idempotency keys prevent
 * double counting.
 */
export class UsageSender {
  /** Tells whether the API has ever responded. */
  private reached = false;
  private waiting = false;

  /**
   * @param notify is called once in every outage with a message that the sender waits for the API
   * @param backfill tells whether the events belong to past periods
   */
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly notify: (text: string) => void,
    private readonly backfill = false,
  ) {}

  /**
   * Sends the rows in one request, or in several if the API refuses the size. Throws a {@link CliError} if a further attempt would fail
   * too, for example for a single row that is too large, or if the attempts have failed for five minutes.
   */
  async send(rows: RowToSend[]): Promise<SendResult> {
    const body = JSON.stringify({ events: rows.map(({ event }) => event) });
    const began = performance.now();
    for (let failures = 0; ; failures++) {
      const answer = await this.post(body).catch((error: Error) => error);
      if (!(answer instanceof Error) && answer.response.ok) {
        this.waiting = false;
        return resultOf(answer, rows);
      }
      const problem = describeProblem(answer, this.url, this.reached);
      if (problem.tooMuch && rows.length > 1) return this.sendHalves(rows);
      if (problem.final || performance.now() - began > GIVE_UP_AFTER_MILLIS) throw new CliError(problem.text);
      if (problem.away) this.notifyWaiting(problem.text);
      await pause(problem.afterMillis ?? backoffMillis(failures, RETRY));
    }
  }

  private notifyWaiting(problem: string): void {
    if (this.waiting) return;
    this.waiting = true;
    this.notify(`${problem}; waiting for it, for up to ${GIVE_UP_AFTER_MILLIS / 60_000} minutes`);
  }

  private async sendHalves(rows: RowToSend[]): Promise<SendResult> {
    const middle = rows.length >> 1;
    const [first, second] = [await this.send(rows.slice(0, middle)), await this.send(rows.slice(middle))];
    return {
      accepted: first.accepted + second.accepted,
      repeated: first.repeated + second.repeated,
      reusedKeys: first.reusedKeys + second.reusedKeys,
      rejected: [...first.rejected, ...second.rejected],
      unmatched: first.unmatched + second.unmatched,
      unpriced: first.unpriced + second.unpriced,
      warnings: [...first.warnings, ...second.warnings],
    };
  }

  private async post(body: string): Promise<Answer> {
    const response = await fetch(`${this.url}/v1/events${this.backfill ? '/backfill' : ''}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.apiKey}` },
      body,
    });
    this.reached = true;
    return { response, text: await response.text() };
  }
}

function resultOf({ response, text }: Answer, rows: RowToSend[]): SendResult {
  const { accepted, rejected, warnings = [] } = JSON.parse(text) as IngestAnswer;
  return {
    accepted: accepted.length,
    repeated: Number(response.headers.get('usage-events-repeated') ?? 0),
    rejected: rejected.map(({ index, code, reason }) => ({ row: rows[index]!.row, code, reason })),
    reusedKeys: Number(response.headers.get('usage-events-key-reused') ?? 0),
    unmatched: Number(response.headers.get('usage-events-unmatched') ?? 0),
    unpriced: Number(response.headers.get('usage-events-unpriced') ?? 0),
    warnings: warnings
      .filter(({ code }) => code !== 'key_reused_with_other_content')
      .map(({ code, reason, count }) => ({ code, reason, count })),
  };
}

interface Problem {
  text: string;
  /** Tells whether the request is larger than the API accepts. */
  tooMuch?: boolean;
  /** Tells whether a further attempt of the request would fail too. */
  final: boolean;
  /** Tells whether the API cannot be reached, or answers with a status of 500 or more. An API that answers with 408 or 429 is only busy. */
  away?: boolean;
  afterMillis?: number;
}

function describeProblem(answer: Answer | Error, url: string, reached: boolean): Problem {
  if (answer instanceof Error) return describeFailure(answer, url, reached);
  const { response, text } = answer;
  if (response.status === 401 || response.status === 403)
    return {
      text: `The API key was refused (${response.status}); set COUNTINGHOUSE_API_KEY or --api-key`,
      final: true,
    };
  const retryAfter = Number(response.headers.get('retry-after'));
  return {
    text: `${url} answered with ${response.status}: ${messageOf(text)}`,
    tooMuch: response.status === 413 || text.includes('"too_many_events"'),
    away: response.status >= 500,
    final: response.status < 500 && response.status !== 429 && response.status !== 408,
    ...(retryAfter > 0 ? { afterMillis: retryAfter * 1_000 } : {}),
  };
}

function describeFailure(error: Error, url: string, reached: boolean): Problem {
  const cause = (error.cause ?? error) as NodeJS.ErrnoException;
  // If a host name has several addresses, the error only has a code. Its own message is empty.
  const text = `${url} does not answer (${cause.message || cause.code})`;
  if (reached || LOST_CONNECTION_CODES.includes(cause.code ?? '')) return { text, final: false, away: true };
  return { text: `${text}; set COUNTINGHOUSE_URL or --url to where the API is`, final: true };
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { error?: string }).error ?? text;
  } catch {
    return text.slice(0, 200);
  }
}
