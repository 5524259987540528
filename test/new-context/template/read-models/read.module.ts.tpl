import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { {{Name}}Queries } from './{{file}}-queries.js';
import { {{Name}}Row } from './{{file}}-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([{{Name}}Row])],
  providers: [{{Name}}Queries],
  exports: [{{Name}}Queries],
})
export class {{Names}}ReadModule {}
