export { DunningProcessQueries, type DunningFilter } from './dunning-process-queries.js';
export { DunningReadModule } from './dunning-read.module.js';
