export { createSagaApp } from './create-app.js';
export { verifyLedger } from './ledger-verification/verify-ledger.js';
export { SourceUnreachable } from './ledger-verification/verify-sources.js';
export { SagaProcess } from './saga-process.js';
