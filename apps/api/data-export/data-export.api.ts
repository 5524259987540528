import { defineApi } from '../http/index.js';
import { DataExportApiModule } from './data-export.api.module.js';
import { ExportedAnswerView, ExportedMailView } from './data-export.dto.js';

export default defineApi({
  module: DataExportApiModule,
  tags: [],
  customerData: { mails: ExportedMailView, storedAnswers: ExportedAnswerView },
});
