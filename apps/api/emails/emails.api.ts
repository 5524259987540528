import { defineApi } from '../http/index.js';
import { EmailsApiModule } from './emails.api.module.js';

export default defineApi({ module: EmailsApiModule, tags: [] });
