#!/bin/sh
# SPDX-License-Identifier: MIT
# The TAP that is written, read back by TAP::Parser: no parse error, the points counted, a lost
# result never ok, an incomplete run never good.
set -u
data=${HILAB_DATA:-.}/reports/format/t/data

exec perl -MTAP::Parser -e '
	my ($data, $n, $bad) = ($ARGV[0], 0, 0);
	sub ok { my ($good, $name) = @_; $n++; $bad++ unless $good; print(($good ? "" : "not "), "ok $n - $name\n"); }
	my %want = (smoke => [4, 0, 1, ""], infra => [1, 1, 0, "incomplete"], odd => [5, 3, 0, ""], running => [1, 1, 0, "still running"]);
	for my $case (sort keys %want) {
		my ($points, $failed, $skipped, $bail) = @{$want{$case}};
		open my $fh, "<", "$data/$case/report.tap" or die "$case: $!";
		my $text = do { local $/; <$fh> };
		my $p = TAP::Parser->new({tap => $text});
		my ($yaml, $skip, $bailed) = (0, 0, "");
		while (my $r = $p->next) {
			$yaml++ if $r->is_yaml;
			$skip++ if $r->is_test && $r->has_skip;
			$bailed = $r->explanation if $r->is_bailout;
			ok(0, "$case: unknown line: " . $r->as_string) if $r->is_unknown && $r->as_string =~ /\S/;
		}
		ok(!$p->parse_errors, "$case: no parse error (" . join("; ", $p->parse_errors) . ")") unless $bail;
		ok($p->tests_run == $points, "$case: $points points, got " . $p->tests_run);
		ok(scalar($p->failed) == $failed, "$case: $failed not ok, got " . scalar($p->failed));
		ok($skip == $skipped, "$case: $skipped skipped");
		ok($yaml == $points - ($case eq "running"), "$case: a block for each result");
		ok($bail ? index($bailed, $bail) == 0 : $bailed eq "", "$case: bail-out \"$bailed\"");
	}
	print "1..$n\n";
	exit($bad ? 1 : 0);
' "$data"
