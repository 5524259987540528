import type { Pool } from 'pg';
import { idsNamedIn, parseJson, type Instant } from '#libs/kernel/core';
import { TextCipher, type InstanceSecrets } from '#libs/kernel/system';
import { pagesOfAnswers, type StoredAnswer } from './answers-about.js';
import { ANSWERS_KEY_PURPOSE } from './idempotent-requests.js';

/** A stored answer in the export of a customer's data. */
export interface ExportedAnswer {
  /** The method and the path of the request. */
  readonly request: string;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The body of the answer. Null if there was none, or if it has a credential or data of other customers. */
  readonly answer: unknown;
  readonly answeredAt: Instant;
}

/** The fields that name a customer. */
const CUSTOMER_FIELDS: ReadonlySet<string> = new Set(['customerId', 'customer_id', 'customerIds']);
/** The callers in the scope of a request whose answer has a credential. */
const WITH_CREDENTIAL = /^\S+ \S+ (?!customer )/;

/** Yields the stored answers about a customer, in the order of their requests. */
export async function* exportAnswers(
  pool: Pool,
  secrets: InstanceSecrets,
  workspaceId: string,
  customerId: string,
): AsyncGenerator<ExportedAnswer> {
  const cipher = new TextCipher(secrets, ANSWERS_KEY_PURPOSE);
  for await (const answers of pagesOfAnswers(pool, cipher, workspaceId, new Set([customerId])))
    for (const answer of answers) if (answer.isAbout) yield exported(answer, customerId);
}

function exported({ scope, status, body, createdAt }: StoredAnswer, customerId: string): ExportedAnswer {
  const value = body === undefined || body === '' ? null : parseJson(body);
  const customers = idsNamedIn(value, CUSTOMER_FIELDS);
  const isWhole = !WITH_CREDENTIAL.test(scope) && [...customers].every((id) => id === customerId);
  return {
    request: scope.split(' ', 2).join(' '),
    status,
    answer: isWhole ? value : null,
    answeredAt: createdAt,
  };
}
