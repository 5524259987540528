import { defineApi } from '../http/index.js';
import { {{Names}}ApiModule } from './{{folder}}.api.module.js';

export default defineApi({
  module: {{Names}}ApiModule,
  tags: [{ name: '{{Words}}', group: 'catalog', description: 'The {{wordsPlural}} of a workspace.' }],
});
