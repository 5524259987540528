export { {{Name}}Queries } from './{{file}}-queries.js';
export { {{Names}}ReadModule } from './{{folder}}-read.module.js';
