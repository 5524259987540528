export { RecordDataExport } from './commands/record-data-export.js';
export { RequestErasure } from './commands/request-erasure.js';
export { CustomerRecordFinder, type UnfinishedRecords } from './customer-record-finder.js';
export { erasureDecider, presentErasure, type Erasure } from './erasure.js';
export { Erasures } from './erasures.js';
export { ERASURE_STEPS, EXPORT_FORMATS, type ExportFormat } from './events.js';
export { UsageTextRemover } from './usage-text-remover.js';
export { PrivacyModule } from './privacy.module.js';
