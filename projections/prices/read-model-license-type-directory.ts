import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { LicenseTypeDirectory } from '#libs/contexts/licenses';

/**
 * Finds license types by the prices that refer to them. All versions of a price are considered, because subscriptions can have an earlier
 * version.
 */
@Injectable()
export class ReadModelLicenseTypeDirectory extends LicenseTypeDirectory {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async isKnown(workspaceId: string, licenseTypeId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `SELECT FROM read.prices WHERE workspace_id = $1 AND live AND license_type_ids @> to_jsonb($2::text) LIMIT 1`,
      [workspaceId, licenseTypeId],
    );
    return rowCount === 1;
  }
}
