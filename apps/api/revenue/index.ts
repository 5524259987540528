export { MAX_MONTHS, monthsOf, readReportedMonths, type ReportedMonths } from './reported-months.js';
