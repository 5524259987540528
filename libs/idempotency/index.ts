import { Idempotency1700000000500 } from './migrations/1700000000500-idempotency.js';
import { IdempotencyRetention1700000003405 } from './migrations/1700000003405-retention.js';

export { IdempotentRequests, type Answered, type StoredAnswer } from './idempotent-requests.js';
export { pruneAnswers } from './prune-answers.js';
export const migrations = [Idempotency1700000000500, IdempotencyRetention1700000003405];
