export { DunningProcessQueries, type DunningFilter } from './dunning-process-queries.js';
export { DUNNING_STATUSES, type DunningStatus } from './dunning-process-row.js';
export { DunningReadModule } from './dunning-read.module.js';
export { presentDunningProcess } from './present.js';
