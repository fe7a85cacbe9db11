-- What memory processes map, from a bug report.

-- The lines of the sections SHOW MAP, with one comma for the spaces between columns. Five times two become one, which is
-- enough for 32 spaces.
CREATE PERFETTO TABLE _show_map_line AS
SELECT
  id,
  section,
  replace(
    replace(replace(replace(replace(replace(trim(line), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' '), ' ', ','
  ) AS line
FROM android_dumpstate
WHERE section GLOB 'SHOW MAP*';

-- The mappings of processes, kilobytes.
CREATE PERFETTO TABLE android_dumpsys_show_map(
  -- The name of the process.
  process_name STRING,
  -- Its number.
  pid JOINID(process.pid),
  -- The addresses that it has.
  vss_kb LONG,
  -- The memory behind them.
  rss_kb LONG,
  -- The memory with the process's part of what it shares.
  pss_kb LONG,
  -- Shared and as in the file.
  shared_clean_kb LONG,
  -- Shared and changed.
  shared_dirty_kb LONG,
  -- Its own and as in the file.
  private_clean_kb LONG,
  -- Its own and changed.
  private_dirty_kb LONG,
  -- Moved to a disk, or compressed.
  swap_kb LONG,
  -- The process's part of that.
  swap_pss_kb LONG,
  -- In large pages without a file.
  anon_huge_pages_kb LONG,
  -- In large pages that are shared.
  shmem_pmd_mapped_kb LONG,
  -- In large pages of files.
  file_pmd_mapped_kb LONG,
  -- In huge pages that are shared.
  shared_huge_tlb_kb LONG,
  -- In huge pages of its own.
  private_hugetlb_kb LONG,
  -- Memory that must not be moved.
  locked_kb LONG,
  -- How many mappings the object has.
  mapping_count LONG,
  -- The file, or what the memory is.
  mapped_object STRING
)
AS
SELECT
  trim(str_split(section, ' ', 3)) AS process_name,
  CAST(replace(str_split(section, ' ', 2), ':', '') AS INT) AS pid,
  CAST(str_split(line, ',', 0) AS INT) AS vss_kb,
  CAST(str_split(line, ',', 1) AS INT) AS rss_kb,
  CAST(str_split(line, ',', 2) AS INT) AS pss_kb,
  CAST(str_split(line, ',', 3) AS INT) AS shared_clean_kb,
  CAST(str_split(line, ',', 4) AS INT) AS shared_dirty_kb,
  CAST(str_split(line, ',', 5) AS INT) AS private_clean_kb,
  CAST(str_split(line, ',', 6) AS INT) AS private_dirty_kb,
  CAST(str_split(line, ',', 7) AS INT) AS swap_kb,
  CAST(str_split(line, ',', 8) AS INT) AS swap_pss_kb,
  CAST(str_split(line, ',', 9) AS INT) AS anon_huge_pages_kb,
  CAST(str_split(line, ',', 10) AS INT) AS shmem_pmd_mapped_kb,
  CAST(str_split(line, ',', 11) AS INT) AS file_pmd_mapped_kb,
  CAST(str_split(line, ',', 12) AS INT) AS shared_huge_tlb_kb,
  CAST(str_split(line, ',', 13) AS INT) AS private_hugetlb_kb,
  CAST(str_split(line, ',', 14) AS INT) AS locked_kb,
  CAST(str_split(line, ',', 15) AS INT) AS mapping_count,
  str_split(line, ',', 16) AS mapped_object
FROM _show_map_line
-- The other lines are headers and the sum.
WHERE line GLOB '[0-9]*' AND str_split(line, ',', 16) != 'TOTAL';
