import { Idempotency1700000000500 } from './migrations/1700000000500-idempotency.js';

export { IdempotentRequests, type Answered, type StoredAnswer } from './idempotent-requests.js';
export const migrations = [Idempotency1700000000500];
