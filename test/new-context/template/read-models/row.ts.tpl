import { Entity, Index } from 'typeorm';
import type { {{Name}} } from '#libs/contexts/{{folder}}';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: '{{table}}' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class {{Name}}Row extends SnapshotRow<{{Name}}> {}
