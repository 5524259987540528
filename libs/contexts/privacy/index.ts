export { RequestErasure } from './commands/request-erasure.js';
export { CustomerRecords, type OpenRecords } from './customer-records.js';
export { erasureDecider, presentErasure, type Erasure } from './erasure.js';
export { Erasures } from './erasures.js';
export { ERASURE_STEPS } from './events.js';
export { PrivacyModule } from './privacy.module.js';
