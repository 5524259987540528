import { Idempotency1700000000500 } from './migrations/1700000000500-idempotency.js';
import { IdempotencyRetention1700000003405 } from './migrations/1700000003405-retention.js';
import { AnswerDigests1700000004050 } from './migrations/1700000004050-answer-digests.js';
import { RequestIds1700000007940 } from './migrations/1700000007940-request-ids.js';

export {
  IdempotentRequests,
  type IdempotentAnswer,
  type KeyedRequest,
  type RequestAnswer,
} from './idempotent-requests.js';
export { eraseAnswers } from './erase-answers.js';
export { exportAnswers } from './export-answers.js';
export { idempotencyKeyReused } from './key-reused.js';
export { pruneAnswers } from './prune-answers.js';
export const migrations = [
  Idempotency1700000000500,
  IdempotencyRetention1700000003405,
  AnswerDigests1700000004050,
  RequestIds1700000007940,
];
