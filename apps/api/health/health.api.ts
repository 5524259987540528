import { defineApi } from '../http/index.js';
import { HealthApiModule } from './health.api.module.js';

export default defineApi({
  module: HealthApiModule,
  tags: [
    {
      name: 'Health',
      group: 'operation',
      description: 'For load balancers and monitoring. No credential is needed.',
    },
  ],
});
