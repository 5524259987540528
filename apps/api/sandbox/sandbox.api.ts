import { defineApi } from '../http/index.js';
import { SandboxApiModule } from './sandbox.api.module.js';

export default defineApi({
  module: SandboxApiModule,
  tags: [
    {
      name: 'Sandbox',
      group: 'operation',
      description:
        'The clock of a sandbox workspace. The clock of a sandbox stands still until a request moves it.',
    },
  ],
});
