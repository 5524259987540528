import { defineApi } from '../http/index.js';
import { AuthPagesApiModule } from './auth-pages.api.module.js';

export default defineApi({ module: AuthPagesApiModule, tags: [] });
