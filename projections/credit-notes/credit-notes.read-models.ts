import { defineReadModels } from '#libs/kernel/projection';
import { creditNotesProjection } from './credit-notes.projection.js';

export default defineReadModels({ projections: [creditNotesProjection], adapters: [] });
