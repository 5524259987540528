import { build } from '../../../apps/cli/bootstrap/build.mjs';

/** Tests run what is compiled. */
export default build;
