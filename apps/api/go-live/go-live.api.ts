import { defineApi } from '../http/index.js';
import { GoLiveApiModule } from './go-live.api.module.js';

export default defineApi({
  module: GoLiveApiModule,
  tags: [{ name: 'Going live', group: 'operation', description: 'Creates a live workspace from a sandbox.' }],
});
