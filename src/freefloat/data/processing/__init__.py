"""From raw channels to samples: crop, resample, filter, differentiate, project, integrate, align, calibrate."""
