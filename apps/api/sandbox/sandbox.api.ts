import { defineApi } from '../http/index.js';
import { SandboxApiModule } from './sandbox.api.module.js';

export default defineApi({
  module: SandboxApiModule,
  tags: [
    {
      name: 'Sandbox',
      group: 'operation',
      description:
        'The clock of a sandbox workspace, and what its simulated payment processor does by itself. The clock of a new sandbox shows real ' +
        'time. After the first request that sets or moves the clock, it stands still until the next such request.',
    },
  ],
});
