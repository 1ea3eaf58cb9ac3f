WITH RECURSIVE closure (id) AS (
  SELECT unnest(%s::text[])
  UNION
  SELECT next.id FROM closure, LATERAL (
    SELECT member AS id FROM support WHERE claim = closure.id
    UNION ALL SELECT member FROM exposure WHERE claim = closure.id
    UNION ALL SELECT new FROM supersession WHERE old = closure.id
  ) AS next
)
SELECT closure.id, claim.statement, claim.made, retraction.claim IS NOT NULL, evidence.quote,
  revision.id, revision.label, revision.published, source.id, source.title
FROM closure
LEFT JOIN claim ON claim.id = closure.id
LEFT JOIN retraction ON retraction.claim = closure.id
LEFT JOIN evidence ON evidence.id = closure.id
LEFT JOIN revision ON revision.id = evidence.revision
LEFT JOIN source ON source.id = revision.source
