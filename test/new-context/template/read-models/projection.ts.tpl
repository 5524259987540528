import { {{name}}Decider } from '#libs/contexts/{{folder}}';
import { snapshotProjection } from '#libs/kernel/projection';
import { {{Name}}Row } from './{{file}}-row.js';

/** Every {{words}}: `GET /v1/{{folder}}`. */
export const {{names}}Projection = snapshotProjection({
  name: '{{folder}}',
  version: 1,
  entity: {{Name}}Row,
  decider: {{name}}Decider,
  columnsOf: () => ({}),
});
