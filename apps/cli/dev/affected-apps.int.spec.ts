import { describe, expect, it } from '@jest/globals';
import { affectedApps } from './affected-apps.js';

const apps = ['projector', 'saga', 'api'];
/** By what the build of this project noted. */
const affected = (...changed: string[]) => affectedApps(apps, changed);

describe('affectedApps', () => {
  it('finds every app that has the file, however it is loaded', async () => {
    expect(await affected('apps/api/main.ts')).toEqual(['api']);
    // Imported when it is needed.
    expect(await affected('apps/api/http/openapi/reference-page.ts')).toEqual(['api']);
    // Found by its name.
    expect(await affected('apps/api/prices/prices.api.ts')).toEqual(['api']);
    expect(await affected('libs/contexts/catalog/catalog.context.ts')).toEqual(apps);
    expect(await affected('libs/kernel/core/index.ts')).toEqual(apps);
  });

  it('finds none for a file that no app has', async () => {
    expect(await affected('libs/kernel/testing/index.ts', 'apps/cli/main.ts')).toEqual([]);
  });
});
