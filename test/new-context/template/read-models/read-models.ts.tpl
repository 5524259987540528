import { defineReadModels } from '#libs/kernel/projection';
import { {{names}}Projection } from './{{folder}}.projection.js';

export default defineReadModels({
  projections: [{{names}}Projection],
  adapters: [],
});
